const RANGES_MAX = 20

/** Returns whether Accept ranks an event stream at least as high as JSON. */
export const prefersEvents = (accept?: string): boolean => prefers('text/event-stream', accept)

/**
 * Returns whether Accept ranks this media type at least as high as JSON (RFC 9110, 12.5.1). Wildcards are ignored.
 */
export function prefers(type: string, accept = ''): boolean {
  const qualities = readQualities(accept)
  const quality = qualities.get(type) ?? 0
  return quality > 0 && quality >= (qualities.get('application/json') ?? 0)
}

/**
 * Returns the weight that Accept gives a media type, by its most specific range (RFC 9110, 12.5.1). 0 means that the
 * client does not accept it.
 */
export function qualityFor(type: string, accept: string): number {
  const qualities = readQualities(accept)
  const [kind] = type.split('/')
  return qualities.get(type) ?? qualities.get(`${kind}/*`) ?? qualities.get('*/*') ?? 0
}

/** Returns whether the client accepts this content coding (RFC 9110, 12.5.3). Wildcards are ignored. */
export const acceptsCoding = (coding: string, acceptEncoding: string | string[] = ''): boolean =>
  (readQualities(String(acceptEncoding)).get(coding) ?? 0) > 0

/** Returns the accepted languages, the preferred one first (RFC 9110, 12.5.4). */
export const acceptedLanguages = (acceptLanguage = ''): string[] =>
  [...readQualities(acceptLanguage)]
    .filter(([, quality]) => quality > 0)
    .sort(([, first], [, second]) => second - first)
    .map(([language]) => language)

/** Returns the values of the header with their weights. */
const readQualities = (header: string): Map<string, number> =>
  new Map(
    header
      .split(',', RANGES_MAX)
      .map((range) => range.split(';').map((part) => part.trim().toLowerCase()))
      .map(([name = '', ...parameters]) => [name, qualityOf(parameters)]),
  )

function qualityOf(parameters: string[]): number {
  const quality = parameters.find((parameter) => /^q=/.test(parameter))
  return quality === undefined ? 1 : Number(quality.slice(2)) || 0
}
