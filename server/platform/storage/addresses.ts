import type { StoredFile } from './storage.ts'

/** Lifetime of a file's signed URL. */
export const URL_SECONDS = 7 * 86_400

/**
 * Content types that a browser may display. Files of other types are downloaded. Excludes SVG and HTML, which can
 * contain scripts.
 */
const SHOWN = /^(image\/(png|jpeg|gif|webp)|audio\/[\w.-]+|video\/[\w.-]+|text\/plain)$/

/** Returns the Content-Disposition of a file, from its content type and the last segment of its key. */
export const dispositionOf = ({ key, contentType }: StoredFile): string =>
  contentDisposition(SHOWN.test(contentType) ? 'inline' : 'attachment', key.slice(key.lastIndexOf('/') + 1))

/** Returns a Content-Disposition header (RFC 6266) with a file name in UTF-8 (RFC 8187). */
export const contentDisposition = (kind: 'inline' | 'attachment', name: string): string =>
  `${kind}; filename*=UTF-8''${encodePart(name)}`

/** Encodes a key as a URL path. */
export const pathOf = (key: string): string => key.split('/').map(encodePart).join('/')

/** Percent-encodes all characters except the unreserved ones of RFC 3986, as S3 signatures require. */
export const encodePart = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
