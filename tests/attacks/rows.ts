import { badInput } from './bad-input.ts'
import { cheapDenial } from './cheap-denial.ts'
import { crossTenant } from './cross-tenant.ts'
import { forgedTokens } from './forged-tokens.ts'
import { freezes } from './freezes.ts'
import { hostileFiles } from './hostile-files.ts'
import { massAssignment } from './mass-assignment.ts'
import { oauth } from './oauth.ts'
import { plantedSecrets } from './planted-secrets.ts'
import { poisonedTexts } from './poisoned-texts.ts'
import type { Row } from './row.ts'
import { sandboxEscapes } from './sandbox-escapes.ts'
import { ssrf } from './ssrf.ts'

export const ROWS: readonly Row[] = [
  crossTenant,
  massAssignment,
  badInput,
  forgedTokens,
  oauth,
  ssrf,
  hostileFiles,
  cheapDenial,
  freezes,
  sandboxEscapes,
  poisonedTexts,
  plantedSecrets,
]
