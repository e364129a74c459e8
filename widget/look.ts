/** The appearance of a deployment. Public: every visitor of the page can read it. */
export interface Look {
  name: string
  companyName: string | null
  logoUrl: string | null
  /** `#rrggbb` */
  color: string
  fontFamily: string | null
  welcomeMessage: string | null
}

/** The appearance of the button. Prepended to the loader, so the button is right before anything else loads. */
export interface ButtonLook {
  deploymentId: string
  label: string
  color: string
  side: 'left' | 'right'
}

export const DEFAULT_COLOR = '#4338ca'
