import type { ModelConfig } from '#database/schema/llm.ts'

/** The price that one organization pays for a model. */
export interface Price {
  /** Credits per token. `inputRatio` is for the prompt, and `outputRatio` for the reply. */
  inputRatio: number
  outputRatio: number
  /** Credits per second of audio. */
  secondsRatio: number
  /** True if the usage reported by the model's endpoint is charged. If false, the server counts tokens itself. */
  trustsUsage: boolean
}

interface PricedModel {
  /** The organization that owns the model. Null for a model of the environment. */
  organizationId: string | null
  config: ModelConfig
}

/**
 * Returns the price that `payerId` pays for a model. No other code decides prices (docs/billing.md).
 *
 * An organization sets the ratios of its own models and may run the endpoint that reports their usage. Both are
 * trusted while the organization itself pays. Another organization that reaches the model through a public agent pays
 * one credit per token, as counted by this server. The ratios of environment models apply to all payers.
 */
export function priceFor({ organizationId, config }: PricedModel, payerId: string): Price {
  if (organizationId !== null && organizationId !== payerId)
    return { inputRatio: 1, outputRatio: 1, secondsRatio: 1, trustsUsage: false }
  return {
    inputRatio: config.input_ratio ?? 1,
    outputRatio: config.output_ratio ?? 1,
    secondsRatio: config.seconds_ratio ?? 1,
    trustsUsage: true,
  }
}
