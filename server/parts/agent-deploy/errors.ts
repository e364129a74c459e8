import { defineErrors, notFound } from '#errors/define.ts'

export const AGENT_DEPLOY_ERRORS = defineErrors({
  'deployment.not_found': notFound('Deployment not found', 'deployment_id'),
  'deployment.config_invalid': [400, '{reason}', 'validation'],
  'deployment.origin_not_allowed': [
    403,
    'This deployment does not allow pages from this origin. Add the origin to config.allowed_origins of the deployment.',
  ],

  'deployment.color': 'config.theme.primary_color must be a hex color such as #0b5fff.',
  'deployment.font':
    'config.theme.font_family must be font names separated by commas, such as "Open Sans, Arial". Names can contain only letters, digits, spaces, hyphens and underscores.',
  'deployment.logo': 'config.branding.logo_url must be a URL that starts with https://.',
  'deployment.placement':
    'config.widget_placement is only for deployments of type widget, not {type}. Remove it.',
  'deployment.origins': 'config.allowed_origins is only for deployments of type widget or iframe. Remove it.',
  'deployment.origin':
    'config.allowed_origins: {origin} is not a valid origin. Write it as https://www.example.com, without a path. http is allowed only for localhost.',
})
