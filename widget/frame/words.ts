/** Everything that the chat says itself. */
export const WORDS = {
  conversation: 'Conversation',
  message: 'Message',
  placeholder: 'Write a message',
  send: 'Send',
  stop: 'Stop the reply',
  newConversation: 'New conversation',
  close: 'Close the chat',
  tryAgain: 'Try again',
  copy: 'Copy',
  copied: 'Copied',
  you: 'You',
  writing: 'A reply is being written',
  reasoning: 'Reasoning',
  stopped: 'Stopped',
  noText: 'This reply has no text.',
  charactersLeft: (left: number) => (left === 1 ? '1 character left' : `${left} characters left`),

  starting: 'Connecting',
  lost: 'The connection is lost. Trying again.',
  offline: 'You are offline. The chat goes on when you are back.',
  unreachable: 'The chat can not be reached at the moment.',
  closed: 'This chat is closed at the moment.',
  unknown: 'This chat does not exist any more.',
  replyFailed: 'The reply could not be finished.',
  replyUnfollowed: 'The connection was lost before the reply was complete.',
  notSent: 'The message could not be sent.',
  refused: 'The message was not accepted.',
  noCredits: 'This chat can not answer at the moment.',
  busy: 'A reply is still being written. Send the message when it is complete.',
  conversationGone: 'This conversation has ended. Your message begins a new one.',
  tooMany: 'That is enough messages for now. Try again later.',
  tooManyFor: (seconds: number) =>
    seconds < 100
      ? `That was a lot of messages. Try again in ${seconds} seconds.`
      : `That is enough messages for now. Try again in ${Math.ceil(seconds / 60)} minutes.`,
} as const
