const EVENTS = 'text/event-stream'
const RANGES_MAX = 20

/** Whether a client wants a stream of events rather than JSON (RFC 9110, 12.5.1): only who names the type gets one. */
export function prefersEvents(accept = ''): boolean {
  const ranges = new Map(
    accept
      .split(',', RANGES_MAX)
      .map((range) => range.split(';').map((part) => part.trim().toLowerCase()))
      .map(([type = '', ...parameters]) => [type, qualityOf(parameters)]),
  )
  const events = ranges.get(EVENTS) ?? 0
  return events > 0 && events >= (ranges.get('application/json') ?? 0)
}

function qualityOf(parameters: string[]): number {
  const quality = parameters.find((parameter) => /^q=/.test(parameter))
  return quality === undefined ? 1 : Number(quality.slice(2)) || 0
}
