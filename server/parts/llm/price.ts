import type { ModelConfig } from '#database/schema/llm.ts'

/** The price of one model for one organization. */
export interface Price {
  /** Credits per token. */
  inputRatio: number
  outputRatio: number
  /** Credits per second of a recording. */
  secondsRatio: number
  /** If false, the server counts tokens itself and ignores the usage that the model's endpoint reports. */
  trustsUsage: boolean
}

interface PricedModel {
  /** Null for a model of the environment. */
  organizationId: string | null
  config: ModelConfig
}

/**
 * Returns what `payerId` pays for a model. No other code decides prices (contract, 6).
 *
 * An organization sets the ratios of its own models and may run the endpoint that reports their usage. That is
 * safe while it pays itself. Another organization, which reaches these models through a public agent, pays one
 * credit per token, counted by this server. The ratios of environment models apply to everyone.
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
