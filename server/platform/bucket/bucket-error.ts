/** A bucket that cannot be read. The message is for the user who configured the bucket. */
export class BucketError extends Error {
  override readonly name: string = 'BucketError'
  /** True if a retry with the same settings may succeed. */
  readonly canTryAgain: boolean

  constructor(message: string, canTryAgain = false, options?: ErrorOptions) {
    super(message, options)
    this.canTryAgain = canTryAgain
  }
}
