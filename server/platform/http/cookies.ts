/** An HttpOnly cookie that this server sets (RFC 6265bis, 4.1). */
export interface Cookie {
  name: string
  path: string
  sameSite: 'Lax' | 'Strict'
  /** Whether the cookie is sent only over https. */
  isSecure: boolean
}

export const setCookie = (cookie: Cookie, value: string, seconds: number): string =>
  `${cookie.name}=${value}; Path=${cookie.path}; Max-Age=${seconds}; HttpOnly; SameSite=${cookie.sameSite}${
    cookie.isSecure ? '; Secure' : ''
  }`

export const clearCookie = (cookie: Cookie): string => setCookie(cookie, '', 0)

/** Returns the value of a cookie in a Cookie header. Null if the cookie is missing or empty. */
export function readCookie(header: string | undefined, name: string): string | null {
  const pair = header?.split(';').find((one) => one.trim().startsWith(`${name}=`))
  return pair?.trim().slice(name.length + 1) || null
}
