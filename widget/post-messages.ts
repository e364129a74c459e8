/** What the frame tells the page that it is on. */
export interface FromFrame {
  parley: 'ready' | 'close'
}

/** What the page tells the frame. */
export interface ToFrame {
  parley: 'opened'
}

export const isFromFrame = (data: unknown): data is FromFrame => ['ready', 'close'].includes(wordOf(data))

export const isToFrame = (data: unknown): data is ToFrame => wordOf(data) === 'opened'

const wordOf = (data: unknown): string => String((data as FromFrame | null)?.parley)
