/** A file type that users can upload. */
export interface AcceptedType {
  contentType: string
  /** File extensions in lowercase without the dot. The first extension is the usual one. */
  extensions: readonly [string, ...string[]]
  /** True if `Documents.extractText` can read files of this type. */
  hasText: boolean
  /** True if vision models accept files of this type unchanged. */
  isVisionImage: boolean
}

export const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
export const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation'
export const ODT = 'application/vnd.oasis.opendocument.text'
export const ODS = 'application/vnd.oasis.opendocument.spreadsheet'
export const ODP = 'application/vnd.oasis.opendocument.presentation'
export const RTF = 'application/rtf'
export const EPUB = 'application/epub+zip'
export const EML = 'message/rfc822'

/**
 * The accepted types, keyed by content type: the types in the specification's upload_file, further documents, and WebM
 * audio, because browsers record it.
 */
export const ACCEPTED_TYPES: ReadonlyMap<string, AcceptedType> = new Map(
  [
    document('application/pdf', 'pdf'),
    document('text/plain', 'txt'),
    document(DOCX, 'docx'),
    document(XLSX, 'xlsx'),
    document(PPTX, 'pptx'),
    document(ODT, 'odt'),
    document(ODS, 'ods'),
    document(ODP, 'odp'),
    document(RTF, 'rtf'),
    document(EPUB, 'epub'),
    document(EML, 'eml'),
    document('text/csv', 'csv'),
    document('text/markdown', 'md', 'markdown'),
    image('image/jpeg', 'jpg', 'jpeg'),
    image('image/png', 'png'),
    image('image/gif', 'gif'),
    image('image/webp', 'webp'),
    media('image/svg+xml', 'svg'),
    media('audio/mpeg', 'mp3'),
    media('audio/wav', 'wav'),
    media('audio/mp4', 'm4a'),
    media('audio/ogg', 'ogg', 'oga', 'opus'),
    media('audio/flac', 'flac'),
    media('audio/webm', 'webm', 'weba'),
    media('video/mp4', 'mp4', 'm4v'),
    media('video/webm', 'webm'),
    media('video/quicktime', 'mov'),
    media('video/x-msvideo', 'avi'),
  ].map((type) => [type.contentType, type]),
)

type Extensions = AcceptedType['extensions']

function document(contentType: string, ...extensions: Extensions): AcceptedType {
  return { contentType, extensions, hasText: true, isVisionImage: false }
}

function image(contentType: string, ...extensions: Extensions): AcceptedType {
  return { contentType, extensions, hasText: false, isVisionImage: true }
}

function media(contentType: string, ...extensions: Extensions): AcceptedType {
  return { contentType, extensions, hasText: false, isVisionImage: false }
}
