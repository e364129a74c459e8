/** Returns random bytes, 16 (128 bits) by default, in base64url (RFC 4648, section 5). */
export const randomKey = (bytes = 16): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(bytes))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
