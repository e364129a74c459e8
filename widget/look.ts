/** The appearance of a deployment. It is public: every visitor of the page can read it. */
export interface Look {
  name: string
  companyName: string | null
  logoUrl: string | null
  /** A color in the form `#rrggbb`. */
  color: string
  fontFamily: string | null
  /** Null for the greeting in the visitor's language. */
  welcomeMessage: string | null
  /** Null for the general questions in the visitor's language. */
  starterQuestions: readonly string[] | null
}

/** The settings of a deployment that determine its appearance. */
export interface LookConfig {
  theme?: { primary_color?: string; font_family?: string }
  branding?: { logo_url?: string; company_name?: string }
  welcome_message?: string
  starter_questions?: readonly string[]
}

/**
 * The appearance of the button. The server prepends it to the loader, so that the button never appears in a default
 * style.
 */
export interface ButtonLook {
  deploymentId: string
  label: string
  color: string
  side: 'left' | 'right'
}

const DEFAULT_COLOR = '#4338ca'

export const lookOf = (name: string, config: LookConfig): Look => ({
  name,
  companyName: config.branding?.company_name || null,
  logoUrl: originOf(config.branding?.logo_url) === null ? null : (config.branding?.logo_url ?? null),
  color: colorOf(config),
  fontFamily: config.theme?.font_family || null,
  welcomeMessage: config.welcome_message || null,
  starterQuestions: config.starter_questions ?? null,
})

export const colorOf = ({ theme }: LookConfig): string =>
  /^#[\da-f]{6}$/i.test(theme?.primary_color ?? '') ? (theme?.primary_color as string) : DEFAULT_COLOR

/** Returns the origin of an HTTP(S) URL, safe to insert into a policy. Returns null for an invalid URL. */
export function originOf(address: string | undefined): string | null {
  if (address === undefined || !URL.canParse(address)) return null
  const { protocol, origin } = new URL(address)
  return (protocol === 'https:' || protocol === 'http:') && !/[\s;,']/.test(origin) ? origin : null
}
