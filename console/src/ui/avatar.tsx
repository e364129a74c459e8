import type { CSSProperties } from 'react'
import { classNames } from './class-names.ts'

interface AvatarProps {
  /** Determines the color, such as the record's id. The color therefore survives a new name. */
  id: string
  name: string
  /** People have round avatars. Agents, organizations and other records have square ones. */
  shape?: 'round' | 'square'
  size?: 'small' | 'medium'
}

const SIZES = { small: 'size-7 text-xs', medium: 'size-9 text-sm' }
const TILE = 'inline-flex shrink-0 items-center justify-center'
const HUES = 12

/** Defined by console/logos.ts: the folder of the logos. */
declare const LOGO_FOLDER: string

/**
 * The initials of a person or a record on a color of their own. Loading a picture from another server would reveal the
 * user to that server.
 */
export const Avatar = ({ id, name, shape = 'square', size = 'small' }: AvatarProps) => (
  <span
    aria-hidden
    style={{ '--hue': hueOf(id) } as CSSProperties}
    className={classNames(
      TILE,
      'tinted font-semibold select-none',
      shape === 'round' ? 'rounded-full' : 'rounded-lg',
      SIZES[size],
    )}
  >
    {initialsOf(name)}
  </span>
)

/**
 * The logo of a company or a product, by its name in console/logos.ts. Decorative: the company's name stands beside it.
 */
export const Logo = ({ name, size = 'small' }: Pick<AvatarProps, 'name' | 'size'>) => (
  <span className={classNames(TILE, 'rounded-lg border border-line bg-paper p-1', SIZES[size])}>
    <img alt="" src={`${LOGO_FOLDER}/${name}.svg`} className="size-full object-contain" />
  </span>
)

/** Returns one of twelve hues in degrees. The same id always has the same hue. */
function hueOf(id: string): number {
  let hash = 0
  for (const letter of id) hash = (hash * 31 + (letter.codePointAt(0) as number)) % 1_000_003
  return ((hash % HUES) * 360) / HUES
}

/** Returns the first letter of the first and of the last word: `AL` for "Ada King Lovelace". */
export function initialsOf(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words
  return ends.map((word = '') => (/[\p{L}\p{N}]/u.exec(word)?.[0] ?? '').toUpperCase()).join('')
}
