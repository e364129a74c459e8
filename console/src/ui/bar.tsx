import { classNames } from './class-names.ts'

/**
 * A progress bar for a share from 0 to 1. Hidden from screen readers, because the text next to it contains the value.
 */
export const Bar = ({ share, tone = 'accent' }: { share: number; tone?: 'accent' | 'danger' }) => (
  <svg
    aria-hidden
    viewBox="0 0 100 2"
    preserveAspectRatio="none"
    className="h-1.5 w-full overflow-hidden rounded-full"
  >
    <rect width={100} height={2} className="fill-hover" />
    <rect
      width={100 * Math.min(1, Math.max(0, share))}
      height={2}
      className={classNames(tone === 'danger' ? 'fill-danger' : 'fill-accent')}
    />
  </svg>
)
