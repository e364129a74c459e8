import type { Config } from '#config'
import { fail } from '#errors'
import { type AccessTokens, VISITOR_TOKEN_SECONDS } from '#platform/access/access-tokens.ts'
import { VISITOR_TOKEN_PREFIX } from '#platform/access/credentials.ts'
import { hashToken } from '#platform/secrets/secrets.ts'
import type { FindPublicDeployment, PublicDeployment } from './public-deployments-system.ts'
import type { VisitorPass } from './schemas.ts'

interface Gate {
  config: Pick<Config, 'baseUrl'>
  tokens: AccessTokens
  findPublicDeployment: FindPublicDeployment
}

/**
 * Issues a token to an anonymous visitor. `visitorKey` identifies the visitor, and the token contains only its hash.
 * Throws deployment.not_found, deployment.paused, deployment.suspended, deployment.origin_not_allowed.
 */
export async function admitVisitor(
  { config, tokens, findPublicDeployment }: Gate,
  {
    deploymentId,
    visitorKey,
    origin,
    host,
  }: { deploymentId: string; visitorKey: string; origin: string | undefined; host: string | undefined },
): Promise<VisitorPass> {
  const deployment = await findPublicDeployment(deploymentId)
  if (!deployment) throw fail('deployment.not_found', { value: deploymentId })
  // Prevents web pages of other sites from getting visitor tokens. Programs send no Origin and may get a token.
  const allowed = [new URL(config.baseUrl).origin, ...(deployment.config.allowed_origins ?? [])]
  // Browsers may reach the server at another host than that of BASE_URL. The server's own pages then send an Origin
  // with that host.
  const isOwn = origin !== undefined && host !== undefined && URL.parse(origin)?.host === host
  if (origin !== undefined && !isOwn && !allowed.includes(origin)) throw fail('deployment.origin_not_allowed')
  if (deployment.status === 'suspended') throw fail('deployment.suspended')
  if (deployment.status === 'paused') throw fail('deployment.paused')
  const token = await tokens.signVisitor({ deploymentId: deployment.id, visitorId: hashToken(visitorKey) })
  return {
    token: `${VISITOR_TOKEN_PREFIX}_${token}`,
    expires_in: VISITOR_TOKEN_SECONDS,
    deployment: viewPublic(deployment),
  }
}

const viewPublic = ({ id, name, type, config }: PublicDeployment): VisitorPass['deployment'] => ({
  id,
  name,
  deployment_type: type,
  config: {
    theme: config.theme ?? {},
    branding: config.branding ?? {},
    ...(config.widget_placement && { widget_placement: config.widget_placement }),
    ...(config.welcome_message !== undefined && { welcome_message: config.welcome_message }),
  },
})
