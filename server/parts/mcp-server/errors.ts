import { defineErrors } from '#errors/define.ts'

export const MCP_SERVER_ERRORS = defineErrors({
  'oauth.consent_gone': [
    400,
    'This request has ended, or was begun in another browser. Begin again in the app that sent you here.',
  ],
  'oauth.nothing_allowed': [403, 'Your role in this organization allows nothing that is offered here'],

  'oauth.org_id': 'org_id must be the id of an organization',
  'oauth.organization_id': 'organization_id must be the id of an organization',
})
