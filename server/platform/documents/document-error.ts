/**
 * A file whose text cannot be extracted. `message` is one sentence for the user who uploaded it. `canTryAgain` is true
 * if the server was busy or stopping, rather than the file at fault.
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
