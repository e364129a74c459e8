/** How a deployment shows itself. Whoever opens the page that it is on can read this. */
export interface Look {
  name: string
  companyName: string | null
  logoUrl: string | null
  /** `#rrggbb` */
  color: string
  fontFamily: string | null
  welcomeMessage: string | null
}

/** What the loader has at its head, so that its button is right before anything else is fetched. */
export interface ButtonLook {
  deploymentId: string
  label: string
  color: string
  side: 'left' | 'right'
}

export const DEFAULT_COLOR = '#4338ca'
