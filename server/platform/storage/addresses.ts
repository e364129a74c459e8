import type { StoredFile } from './storage.ts'

/** How long an address of a file is good for (spec, Limits). */
export const URL_SECONDS = 7 * 86_400

/** What a browser may show; everything else it saves. SVG and HTML can hold scripts, so they are not among these. */
const SHOWN = /^(image\/(png|jpeg|gif|webp)|audio\/[\w.-]+|video\/[\w.-]+|text\/plain)$/

/** Content-Disposition of a file, by its type and the last part of its key. */
export const dispositionOf = ({ key, contentType }: StoredFile): string =>
  contentDisposition(SHOWN.test(contentType) ? 'inline' : 'attachment', key.slice(key.lastIndexOf('/') + 1))

/** RFC 6266, with the name in UTF-8 (RFC 8187). */
export const contentDisposition = (kind: 'inline' | 'attachment', name: string): string =>
  `${kind}; filename*=UTF-8''${encodePart(name)}`

/** A key as the path of an address. */
export const pathOf = (key: string): string => key.split('/').map(encodePart).join('/')

/** Everything but RFC 3986's unreserved characters, as signatures of S3 have it. */
export const encodePart = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
