/**
 * Returns whether two URLs name the same authorization server. Issuers are compared as text (RFC 8414, 3.3), but many
 * servers write a root URL with a slash in one document and without it in another. Such URLs are equal (RFC 3986,
 * 6.2.3).
 */
export function isSameIssuer(one: string, other: string): boolean {
  if (one === other) return true
  const [first, second] = [URL.parse(one), URL.parse(other)]
  return (
    first !== null && second !== null && isRoot(first) && isRoot(second) && first.origin === second.origin
  )
}

const isRoot = ({ href, origin }: URL): boolean => href === `${origin}/`
