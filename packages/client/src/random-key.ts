/** Returns random bytes in base64url (RFC 4648, section 5). The default of 16 bytes is 128 bits. */
export const randomKey = (bytes = 16): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(bytes))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
