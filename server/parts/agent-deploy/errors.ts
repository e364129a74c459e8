import { defineErrors } from '#errors/define.ts'

export const AGENT_DEPLOY_ERRORS = defineErrors({
  'deployment.not_found': [404, 'Deployment not found'],
  'deployment.config_invalid': [400, '{reason}', 'validation'],
  'deployment.origin_not_allowed': [403, 'This page is not one of the allowed_origins of the deployment'],

  'deployment.color': 'config.theme.primary_color must be a color such as #0b5fff',
  'deployment.font':
    'config.theme.font_family must be names of fonts such as Open Sans, Arial: letters, digits, spaces and hyphens, with commas between the names',
  'deployment.logo': 'config.branding.logo_url must be an address that begins with https://',
  'deployment.placement':
    'config.widget_placement is for deployments of the type widget, and this one is {type}',
  'deployment.origins': 'config.allowed_origins is for deployments of the types widget and iframe',
  'deployment.origin':
    'config.allowed_origins: {origin} is not the origin of a page. Write it as https://www.example.com, without a path; http is for localhost only',
})
