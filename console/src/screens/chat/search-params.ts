/** What is shown of the list, which stays from chat to chat; and of a chat. */
export interface ChatSearch {
  q?: string
  folder?: string
  archived?: true
  /** Is sent once, in a new chat. */
  prompt?: string
  /** The message to be shown. */
  message?: string
}
