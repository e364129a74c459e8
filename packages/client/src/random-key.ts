/** Returns random bytes, 128 bits by default, in base64url (RFC 4648, 5). */
export const randomKey = (bytes = 16): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(bytes))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
