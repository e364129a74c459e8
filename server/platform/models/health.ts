import type { Logger } from 'pino'
import { sentence } from '#errors'
import type { FailureKind, ModelError, ModelTarget } from './types.ts'

/** Number of consecutive failures after which routes skip a target. */
const FAILURES_MAX = 3
/** The first pause of a skipped target. Each further pause is twice as long, up to the maximum. */
const PAUSE_MIN_MS = 5_000
const PAUSE_MAX_MS = 60_000
/** Time after which one or two failures are forgotten, so that a model isn't `degraded` by a call of long ago. */
const FAILURE_KEPT_MS = 60_000
/** Maximum number of failing targets in memory. Beyond it, the oldest one is forgotten. */
const TARGETS_MAX = 10_000

export interface TargetHealth {
  /** `degraded` after one or two consecutive failures, and `down` from the third one on. */
  state: 'healthy' | 'degraded' | 'down'
  /** The sentence of the last failure. Null for a healthy target. */
  error: string | null
  /** Time of the first of the consecutive failures. Null for a healthy target. */
  since: Date | null
}

/** The consecutive failures of a target, each within FAILURE_KEPT_MS of the one before. A target without failures has no circuit. */
interface Circuit {
  failures: number
  error: string
  since: Date
  /** Time of `performance.now()` of the last failure. */
  failedAt: number
  /** Routes skip the target until this time of `performance.now()`. 0 unless the target is down. */
  openUntil: number
  /** Number of pauses so far. */
  pauses: number
  /** True while a call finds out whether the target works again. */
  isProbed: boolean
}

const HEALTHY: TargetHealth = { state: 'healthy', error: null, since: null }

/**
 * Tracks the failures of the models that this process calls, so that routes can skip a model that is down. After a
 * pause, one call probes the model. Tenants share no circuits: a target belongs to its owner (`ModelTarget.owner`).
 */
export class ModelHealth {
  readonly #circuits = new Map<string, Circuit>()
  readonly #log: Pick<Logger, 'warn' | 'info'> | undefined

  constructor(log?: Pick<Logger, 'warn' | 'info'>) {
    this.#log = log
  }

  of(target: ModelTarget): TargetHealth {
    const circuit = this.#find(target)
    if (!circuit) return HEALTHY
    const { failures, error, since } = circuit
    return { state: failures < FAILURES_MAX ? 'degraded' : 'down', error, since }
  }

  /** Returns whether a route skips the target now. */
  isOpen(target: ModelTarget): boolean {
    const circuit = this.#find(target)
    return circuit !== undefined && performance.now() < circuit.openUntil
  }

  /** Notes that a call starts. If the target is down, the call probes it, and routes skip it for another pause. */
  starts(target: ModelTarget): void {
    const circuit = this.#find(target)
    if (!circuit || circuit.failures < FAILURES_MAX) return
    circuit.isProbed = true
    circuit.openUntil = performance.now() + pauseOf(circuit)
  }

  /** Notes that a call has output. A target that was down takes calls again, until its next failure. */
  hasBegun(target: ModelTarget): void {
    const circuit = this.#find(target)
    if (!circuit || circuit.failures < FAILURES_MAX) return
    Object.assign(circuit, { failures: FAILURES_MAX - 1, openUntil: 0, pauses: 0, isProbed: false })
    this.#log?.info(describe(target), 'a model works again')
  }

  succeeded(target: ModelTarget): void {
    if (this.#circuits.size === 0) return
    this.hasBegun(target)
    this.#circuits.delete(keyOf(target))
  }

  /** Notes a failure, unless the request or the tenant's own settings caused it. */
  failed(target: ModelTarget, { kind, message, retryAfterMs }: ModelError): void {
    if (!isFault(target, kind)) return
    const circuit = this.#find(target) ?? this.#add(target)
    circuit.failures += 1
    circuit.failedAt = performance.now()
    circuit.error = target.owner === undefined ? sharedSentence(target, kind) : message
    // Calls that started before the pause don't make it longer.
    if (circuit.failures < FAILURES_MAX || (circuit.openUntil > 0 && !circuit.isProbed)) return
    circuit.isProbed = false
    circuit.openUntil = performance.now() + (retryAfterMs ?? pauseOf(circuit))
    circuit.pauses += 1
    if (circuit.pauses === 1) this.#log?.warn({ ...describe(target), kind }, 'a model is down')
  }

  #find(target: ModelTarget): Circuit | undefined {
    if (this.#circuits.size === 0) return undefined
    const key = keyOf(target)
    const circuit = this.#circuits.get(key)
    if (circuit === undefined || circuit.failures >= FAILURES_MAX) return circuit
    if (performance.now() - circuit.failedAt < FAILURE_KEPT_MS) return circuit
    this.#circuits.delete(key)
    return undefined
  }

  #add(target: ModelTarget): Circuit {
    const [oldest] = this.#circuits.keys()
    if (oldest !== undefined && this.#circuits.size >= TARGETS_MAX) this.#circuits.delete(oldest)
    const circuit = {
      failures: 0,
      error: '',
      since: new Date(),
      failedAt: 0,
      openUntil: 0,
      pauses: 0,
      isProbed: false,
    }
    this.#circuits.set(keyOf(target), circuit)
    return circuit
  }
}

const pauseOf = ({ pauses }: Circuit): number => Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** pauses)

/** The owner of a model may break its settings, which is no fault of the provider. */
const isFault = ({ owner }: ModelTarget, kind: FailureKind): boolean =>
  kind !== 'request' && (kind !== 'configuration' || owner === undefined)

/** Returns a sentence about a model of the installation. Omits the provider's words, which may quote a tenant's input. */
function sharedSentence({ provider }: ModelTarget, kind: FailureKind): string {
  if (kind === 'configuration') return sentence('model.misconfigured', { provider })
  return sentence(kind === 'rate_limited' ? 'model.rate_limited' : 'model.failing', { provider })
}

const keyOf = ({ owner = '', provider, baseUrl, apiKey, model }: ModelTarget): string =>
  [owner, provider, baseUrl, apiKey, model].join('\n')

const describe = ({ provider, model, owner }: ModelTarget) => ({
  provider,
  model,
  ...(owner && { organization_id: owner }),
})
