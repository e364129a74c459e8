import { defineErrors } from '#errors/define.ts'

export const MCP_SERVER_ERRORS = defineErrors({
  'oauth.consent_gone': [
    400,
    'This authorization request has ended, or was started in another browser. Start again in the app that sent you here.',
  ],
  'oauth.nothing_allowed': [
    403,
    'Your role in this organization allows none of the permissions that this app can get. Choose another organization, or ask an administrator for another role.',
  ],

  'oauth.org_id': 'org_id must be the ID of an organization.',
  'oauth.organization_id': 'organization_id must be the ID of an organization.',
})
