/** A message from the frame to the page around it. */
export interface FromFrame {
  parley: 'ready' | 'close'
}

/** A message from the page to the frame. */
export interface ToFrame {
  parley: 'opened'
}

export const isFromFrame = (data: unknown): data is FromFrame => ['ready', 'close'].includes(wordOf(data))

export const isToFrame = (data: unknown): data is ToFrame => wordOf(data) === 'opened'

const wordOf = (data: unknown): string => String((data as FromFrame | null)?.parley)
