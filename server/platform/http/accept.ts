const RANGES_MAX = 20

/** Whether a client wants a stream of events rather than JSON. */
export const prefersEvents = (accept?: string): boolean => prefers('text/event-stream', accept)

/** Whether a client wants this type rather than JSON (RFC 9110, 12.5.1): only who names it gets it. */
export function prefers(type: string, accept = ''): boolean {
  const qualities = readQualities(accept)
  const quality = qualities.get(type) ?? 0
  return quality > 0 && quality >= (qualities.get('application/json') ?? 0)
}

/** Whether a client takes an answer in this coding (RFC 9110, 12.5.3): only who names it gets it. */
export const acceptsCoding = (coding: string, acceptEncoding: string | string[] = ''): boolean =>
  (readQualities(String(acceptEncoding)).get(coding) ?? 0) > 0

/** What a header names, and with which weight. */
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
