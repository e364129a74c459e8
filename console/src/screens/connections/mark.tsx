import { Avatar, Logo } from '../../ui/avatar.tsx'

/** Defined by console/logos.ts: the names of all logos. */
declare const LOGO_NAMES: readonly string[]

/** The mark of a server: its logo, or its initials. The same name always has the same color. */
export function Mark({ name }: { name: string }) {
  const logo = logoOf(name)
  return logo ? <Logo name={logo} size="medium" /> : <Avatar id={name} name={name} size="medium" />
}

/** Companies with several servers, which share a logo: `Cloudflare Workers`. */
const FAMILIES = ['astro', 'aws', 'cloudflare', 'exa', 'microsoft', 'prisma']

/** Returns the logo of a server by its name, such as `Hugging Face`. */
function logoOf(name: string): string | undefined {
  const words = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const known = words.join('')
  return LOGO_NAMES.includes(known) ? known : FAMILIES.find((family) => family === words[0])
}
