import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { prepareReplyText } from '../../markdown/reply-text.tsx'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { useTitle } from '../../ui/page.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { branchOf, siblingsOf } from './branch.ts'
import { type ChatPlace, readChat } from './chat-data.ts'
import { ChatHeader } from './chat-header.tsx'
import { chatTitle } from './chat-title.ts'
import { Composer } from './composer.tsx'
import { ActionsContext, StateContext } from './conversation-context.ts'
import { DropZone } from './drop-zone.tsx'
import { isLive, keyOf, leaveOthers, resume, useLive } from './live-replies.ts'
import { MessageList } from './message-list.tsx'
import { NewChat } from './new-chat.tsx'
import { withPending } from './pending.ts'
import { unsentOf } from './unsent.ts'
import { useConversation } from './use-conversation.ts'

const t = translator('chat')

/** The messages and the composer of a chat. If `chatId` is null, shows a new chat. */
export function Conversation({ chatId, onShowList }: { chatId: string | null; onShowList: () => void }) {
  const { organization, user, may } = useHere()
  const place: ChatPlace = { org_id: organization.id, chat_id: chatId ?? '' }
  const query = useQuery({ ...readChat(place), enabled: chatId !== null })
  const live = useLive(organization.id, chatId)
  const data = chatId === null ? undefined : query.data
  const { branch, siblings } = useMemo(() => {
    const { messages, leafId } = withPending(data, live)
    return { branch: branchOf(messages, leafId), siblings: siblingsOf(messages) }
  }, [data, live, live?.messageId, live?.userMessageId])
  const { actions, state } = useConversation({
    chatId,
    chat: data?.chat ?? null,
    messages: data?.messages,
    live,
  })

  useTitle(data ? chatTitle(data.chat) : t('newChat'))
  useEffect(() => {
    if (chatId !== null) prepareReplyText()
  }, [chatId])
  const underWay = data?.messages.findLast(({ status }) => status === 'streaming')
  useEffect(() => leaveOthers(organization.id, chatId), [organization.id, chatId])
  useEffect(() => {
    if (underWay && !live) resume(organization.id, underWay)
  }, [underWay, live, organization.id])

  // Messages that an earlier visit could not send.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the next message is sent when a reply ends
  useEffect(() => {
    if (!actions.mayWrite) return
    for (const message of unsentOf(user.id, organization.id))
      if (!isLive(organization.id, message.chatId)) actions.resend(message)
  }, [user.id, organization.id, actions, live])

  const isThere = data !== undefined || live !== null
  return (
    <ActionsContext value={actions}>
      <StateContext value={state}>
        <DropZone chatId={chatId} className="relative flex min-w-0 grow flex-col">
          <ChatHeader chat={data?.chat ?? null} onShowList={onShowList} />
          {chatId !== null &&
            !isThere &&
            (query.error ? (
              <NotThere error={query.error} onRetry={() => void query.refetch()} />
            ) : (
              <MessagesSkeleton />
            ))}
          {chatId === null && !live && <NewChat />}
          {isThere && (
            <MessageList
              key={live && live.chatId === null ? live.key : keyOf(chatId ?? '')}
              place={place}
              branch={branch}
              siblings={siblings}
              live={live}
              hasOlder={data?.older != null}
            />
          )}
          {may('chats:write') && !(query.error && !isThere) && (
            <Composer chatId={chatId} chat={data?.chat ?? null} />
          )}
        </DropZone>
      </StateContext>
    </ActionsContext>
  )
}

const NotThere = ({ error, onRetry }: { error: Error; onRetry: () => void }) => (
  <div className="mx-auto w-full max-w-3xl grow p-6">
    <Failure error={error} onRetry={onRetry} />
  </div>
)

const MessagesSkeleton = () => (
  <div
    role="status"
    aria-label={t('loading')}
    className="mx-auto flex w-full max-w-3xl grow flex-col gap-6 p-6"
  >
    <Skeleton className="h-14 w-2/3 self-end" />
    <Skeleton className="h-40" />
    <Skeleton className="h-14 w-1/2 self-end" />
    <Skeleton className="h-28" />
  </div>
)
