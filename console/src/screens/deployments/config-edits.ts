import type { Deployment, DeploymentConfig } from '@parley/client/schemas'

/** The values of the form's fields as typed. */
export interface LookEdits {
  color: string
  font: string
  company: string
  logo: string
  placement: 'bottom-right' | 'bottom-left'
  welcome: string
  /** The starter questions, one per line. */
  starters: string
  /** The allowed origins, one per line. */
  origins: string
  /** The daily message limit. Empty means no limit. */
  limit: string
}

export const lookOf = (config: DeploymentConfig): LookEdits => ({
  color: config.theme?.primary_color ?? '',
  font: config.theme?.font_family ?? '',
  company: config.branding?.company_name ?? '',
  logo: config.branding?.logo_url ?? '',
  placement: config.widget_placement ?? 'bottom-right',
  welcome: config.welcome_message ?? '',
  starters: (config.starter_questions ?? []).join('\n'),
  origins: (config.allowed_origins ?? []).join('\n'),
  limit: config.daily_message_limit?.toString() ?? '',
})

/** Converts the form's values to a config. Omits blank fields and fields that the deployment type doesn't have. */
export function configOf(edits: LookEdits, type: Deployment['deployment_type']): DeploymentConfig {
  const limit = edits.limit.trim() === '' ? {} : { daily_message_limit: Number(edits.limit) }
  if (type === 'api') return limit
  const theme = filled({ primary_color: edits.color.trim(), font_family: edits.font.trim() })
  const branding = filled({ company_name: edits.company.trim(), logo_url: edits.logo.trim() })
  const starters = edits.starters
    .split('\n')
    .map((question) => question.trim())
    .filter((question) => question !== '')
  const origins = edits.origins.split(/\s+/).filter((origin) => origin !== '')
  return {
    ...limit,
    ...(Object.keys(theme).length > 0 && { theme }),
    ...(Object.keys(branding).length > 0 && { branding }),
    ...(type === 'widget' && { widget_placement: edits.placement }),
    ...(edits.welcome.trim() !== '' && { welcome_message: edits.welcome }),
    ...(starters.length > 0 && { starter_questions: starters }),
    ...(origins.length > 0 && { allowed_origins: origins }),
  }
}

const filled = <Fields extends Record<string, string>>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== '')) as Partial<Fields>
