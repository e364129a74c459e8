/** The appearance of a deployment. It is public: every visitor of the page can read it. */
export interface Look {
  name: string
  companyName: string | null
  logoUrl: string | null
  /** A color in the form `#rrggbb`. */
  color: string
  fontFamily: string | null
  welcomeMessage: string | null
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

export const DEFAULT_COLOR = '#4338ca'
