const RANGES_MAX = 20

/** Whether the client prefers an event stream to JSON. */
export const prefersEvents = (accept?: string): boolean => prefers('text/event-stream', accept)

/** Whether the client prefers this media type to JSON (RFC 9110, 12.5.1). Wildcards do not count. */
export function prefers(type: string, accept = ''): boolean {
  const qualities = readQualities(accept)
  const quality = qualities.get(type) ?? 0
  return quality > 0 && quality >= (qualities.get('application/json') ?? 0)
}

/** Whether the client accepts this content coding (RFC 9110, 12.5.3). Wildcards do not count. */
export const acceptsCoding = (coding: string, acceptEncoding: string | string[] = ''): boolean =>
  (readQualities(String(acceptEncoding)).get(coding) ?? 0) > 0

/** Returns the languages of the header, the preferred one first (RFC 9110, 12.5.4). */
export const acceptedLanguages = (acceptLanguage = ''): string[] =>
  [...readQualities(acceptLanguage)]
    .filter(([, quality]) => quality > 0)
    .sort(([, first], [, second]) => second - first)
    .map(([language]) => language)

/** Returns the weight of each value in the header. */
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
