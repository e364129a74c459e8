/** A bucket cannot be read. The message is written for the user who configured the bucket. */
export class BucketError extends Error {
  override readonly name: string = 'BucketError'
  /** Whether a retry with the same settings may succeed. */
  readonly canTryAgain: boolean

  constructor(message: string, canTryAgain = false, options?: ErrorOptions) {
    super(message, options)
    this.canTryAgain = canTryAgain
  }
}
