/** A bucket that can't be read. The message is a sentence for the person who named the bucket. */
export class BucketError extends Error {
  override readonly name: string = 'BucketError'
  /** Whether it may succeed later as it is. */
  readonly canTryAgain: boolean

  constructor(message: string, canTryAgain = false, options?: ErrorOptions) {
    super(message, options)
    this.canTryAgain = canTryAgain
  }
}
