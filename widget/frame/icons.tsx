import type { VNode } from 'preact'

const icon = (path: string) => (): VNode => (
  <svg
    viewBox="0 0 24 24"
    width="20"
    height="20"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={path} />
  </svg>
)

export const CloseIcon = icon('M6 6l12 12M18 6L6 18')
/** A sheet of paper with a pencil. */
export const NewIcon = icon(
  'M12 4H6a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-6M18.5 3.5a2.1 2.1 0 0 1 3 3L12.5 15.5 8.5 16.5l1-4z',
)
export const SendIcon = icon('M12 19V5M6 11l6-6 6 6')
export const StopIcon = (): VNode => (
  <svg viewBox="0 0 24 24" width="20" height="20" fill="currentColor" aria-hidden="true">
    <rect x="6" y="6" width="12" height="12" rx="2" />
  </svg>
)
