/** A message from the frame to the page that contains it. */
export interface FromFrame {
  parley: 'ready' | 'close'
}

/** A message to the frame from the page that contains it. */
export interface ToFrame {
  parley: 'opened'
  /** The color scheme of the page: `light` or `dark`, or empty if the page declares none. */
  scheme: string
}

export const isFromFrame = (data: unknown): data is FromFrame => ['ready', 'close'].includes(wordOf(data))

export const isToFrame = (data: unknown): data is ToFrame => wordOf(data) === 'opened'

const wordOf = (data: unknown): string => String((data as FromFrame | null)?.parley)
