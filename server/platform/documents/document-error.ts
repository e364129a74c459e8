/**
 * A file whose text cannot be extracted. `message` is one sentence for the user who uploaded the file. `canTryAgain`
 * is true if the cause is a busy or stopping server, not the file.
 */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  readonly canTryAgain: boolean

  constructor(
    message: string,
    { canTryAgain = false, ...options }: ErrorOptions & { canTryAgain?: boolean } = {},
  ) {
    super(message, options)
    this.canTryAgain = canTryAgain
  }
}
