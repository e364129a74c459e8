/**
 * From this file no text can be had. The message is one sentence for the person who sent it. `canTryAgain`: the reason
 * is not in the file, but in how busy the server is.
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
