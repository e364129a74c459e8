/** Parley's mark: two people's speech bubbles. public/favicon.svg has the same shapes. */
export const Mark = ({ size = 24 }: { size?: number }) => (
  <svg aria-hidden viewBox="0 0 32 32" width={size} height={size} className="shrink-0">
    <rect width="32" height="32" rx="8" className="fill-brand" />
    <path
      d="M15.5 6.5h6.5a4 4 0 0 1 4 4v8.3l-3.3-2.3h-7.200a4 4 0 0 1-4-4v-2a4 4 0 0 1 4-4z"
      fill="#fff"
      fillOpacity="0.5"
    />
    <path d="M10 12.5h6.5a4 4 0 0 1 4 4v1.5a4 4 0 0 1-4 4H9.600L6 25.5v-9a4 4 0 0 1 4-4z" fill="#fff" />
  </svg>
)
