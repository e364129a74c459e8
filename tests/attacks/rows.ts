import { crossTenant } from './cross-tenant.ts'
import { forgedTokens } from './forged-tokens.ts'
import type { Row } from './row.ts'

/** Every row of the suite. */
export const ROWS: readonly Row[] = [crossTenant, forgedTokens]
