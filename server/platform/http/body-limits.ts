import type { Route } from './define-route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Maximum number of values in a JSON body. Default: BODY.values. */
    bodyValuesMax?: number
    bodyKeepsDigits?: boolean | string
  }
}

/** Limits of a JSON body, enforced before parsing. Larger bodies get 413. */
export interface BodyLimits {
  bytes: number
  /** Number of array elements and object members, at any depth. */
  values: number
  /** Whether, or in which properties, numbers that JavaScript would round are read as ExactNumber (json-body.ts). */
  keepsDigits?: boolean | string
}

/** Limits for clients that are authenticated before the body is read. */
export const BODY: BodyLimits = { bytes: 4 * 1024 * 1024, values: 100_000 }
/** Limits for anonymous clients, and for requests to unknown addresses or with unknown methods. */
export const PUBLIC_BODY: BodyLimits = { bytes: 64 * 1024, values: 100_000 }

/** Returns a route's limits: the defaults for its access, with the route's overrides. */
export const bodyLimitsOf = ({ access, bodyLimits }: Pick<Route, 'access' | 'bodyLimits'>): BodyLimits => ({
  ...(access === 'public' ? PUBLIC_BODY : BODY),
  ...bodyLimits,
})

/** Returns the limits as options of a Fastify route. */
export const bodyOptions = ({ bytes, values, keepsDigits = false }: BodyLimits, mayStream = false) => ({
  bodyLimit: bytes,
  config: { bodyValuesMax: values, bodyKeepsDigits: keepsDigits, mayStream },
})
