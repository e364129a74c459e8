import type { LucideIcon } from 'lucide-react'

/** The picture of an empty list: the items to come, with the icon of their kind in front. */
export const Illustration = ({ icon: Icon }: { icon: LucideIcon }) => (
  <svg aria-hidden viewBox="0 0 160 96" width={160} height={96} fill="none">
    <ellipse cx="80" cy="84" rx="56" ry="6" className="fill-hover" />
    <g className="fill-surface stroke-line" strokeWidth="1.5">
      <rect x="22" y="26" width="52" height="44" rx="8" transform="rotate(-9 48 48)" />
      <rect x="86" y="26" width="52" height="44" rx="8" transform="rotate(9 112 48)" />
    </g>
    <rect
      x="48"
      y="12"
      width="64"
      height="64"
      rx="14"
      className="fill-raised stroke-line"
      strokeWidth="1.5"
    />
    <rect x="60" y="24" width="40" height="40" rx="11" className="fill-accent-soft" />
    <Icon x={69} y={33} size={22} className="text-accent" />
    <path
      d="M122 14v8m-4-4h8M32 12v6m-3-3h6"
      className="stroke-accent"
      strokeWidth="1.75"
      strokeLinecap="round"
    />
  </svg>
)
