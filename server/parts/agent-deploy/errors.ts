import { defineErrors } from '#errors/define.ts'

export const AGENT_DEPLOY_ERRORS = defineErrors({
  'deployment.not_found': [404, 'Deployment not found'],
  'deployment.config_invalid': [400, '{reason}', 'validation'],
  'deployment.origin_not_allowed': [403, 'This page is not one of the allowed_origins of the deployment'],
})
