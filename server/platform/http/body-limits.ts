import type { Route } from './define-route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** At most this many values in a JSON body; BODY.values where a route says nothing. */
    bodyValuesMax?: number
  }
}

/** Bounds of a JSON body. Both are enforced before it is parsed: beyond them the answer is 413. */
export interface BodyLimits {
  bytes: number
  /** Elements of arrays and members of objects, at any depth. */
  values: number
}

/** For clients that show a credential before the body is read. */
export const BODY: BodyLimits = { bytes: 4 * 1024 * 1024, values: 100_000 }
/** For anonymous clients, and for addresses and methods that don't exist. */
export const PUBLIC_BODY: BodyLimits = { bytes: 64 * 1024, values: 100_000 }

/** The limits of a route: those it declares, else those of its kind of access. */
export const bodyLimitsOf = ({ access, bodyLimits }: Pick<Route, 'access' | 'bodyLimits'>): BodyLimits => ({
  ...(access === 'public' ? PUBLIC_BODY : BODY),
  ...bodyLimits,
})

/** The limits as options of a Fastify route. */
export const bodyOptions = ({ bytes, values }: BodyLimits) => ({
  bodyLimit: bytes,
  config: { bodyValuesMax: values },
})
