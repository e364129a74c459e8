import { ParleyError, randomKey } from '@parley/client'
import type { Chat, ChatMessage } from '@parley/client/schemas'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useRef } from 'react'
import { api } from '../../api/client.ts'
import { outdate } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { type Here, useHere } from '../../shell/organization.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { useAnswerers } from './answerers.ts'
import { newestLeafBelow } from './branch.ts'
import { changeChat, readChat } from './chat-data.ts'
import { type Choices, choose, idsOf, targetOf, useChoices } from './choices.ts'
import type { ConversationActions, ConversationState } from './conversation-context.ts'
import { draftOf, emptyDraft, giveBack } from './drafts.ts'
import { regenerate, send, takeBack } from './live-replies.ts'
import type { LiveReply } from './live-reply.ts'
import { refusalText } from './refusal-text.ts'
import {
  type Answering,
  forgetUnsent,
  isRepeatable,
  isSameRequest,
  type Question,
  type Unsent,
} from './unsent.ts'

const t = translator('chat')

interface Shown {
  chatId: string | null
  chat: Chat | null
  messages: readonly ChatMessage[] | undefined
  live: LiveReply | null
}

/** Returns the key of a draft. The key contains the user's id, because several users may share a browser. */
export const draftKeyOf = ({ user, organization }: Here, chatId: string | null): string =>
  draftKey(user.id, organization.id, chatId)

const draftKey = (userId: string, organizationId: string, chatId: string | null): string =>
  `${userId} ${chatId ?? `new ${organizationId}`}`

export function useConversation({ chatId, chat, messages, live }: Shown): {
  actions: ConversationActions
  state: ConversationState
} {
  const { organization, user, may } = useHere()
  const org_id = organization.id
  const client = useQueryClient()
  const navigate = useNavigate()
  const notify = useNotify()
  const choices = useChoices(org_id, chatId, chat)
  const { models, agents, defaultId, isReady } = useAnswerers(choices.target, messages)
  // A choice made for an earlier chat applies to new chats until the default model changes.
  const isOutdated = chatId === null && choices.defaultId !== defaultId
  const there = [...models.map(({ id }) => `model ${id}`), ...agents.map(({ id }) => `agent ${id}`)]
  const isChosen = !isOutdated && choices.target !== null && there.includes(choices.target)
  const usual = targetOf(defaultId, null) ?? there[0] ?? null
  const target = isChosen || !isReady ? choices.target : usual
  const mayWrite = may('chats:write')
  const isBusy = live !== null
  const state = useMemo(() => ({ isBusy, choices, target }), [isBusy, choices, target])
  // Actions read current values from this ref. The actions can therefore stay the same functions while messages
  // arrive.
  const latest = useRef({ chatId, chat, messages, live, choices, target, defaultId })
  latest.current = { chatId, chat, messages, live, choices, target, defaultId }

  const actions = useMemo(() => {
    const draftOfChat = (id: string | null) => draftKey(user.id, org_id, id)
    const refused = (error: Error) => notify({ text: refusalText(error), failed: true })
    /**
     * Calls `begin` as soon as a reply can start. If one is in progress, notifies the user instead: the server would
     * refuse a second reply.
     */
    const whenFree = (begin: () => void): void => {
      const { live } = latest.current
      if (live === null) begin()
      else if (live.state().hasEnded) void live.over.then(begin)
      else notify({ text: t('errors.busy'), failed: true })
    }
    const transmit = (message: Unsent, onAccepted: (chatId: string) => void) =>
      send(message, {
        onRefused: (error) => giveBack(draftOfChat(message.chatId), message, error),
        onAccepted,
      })
    /** Opens a new chat, unless the user has gone elsewhere since the message was sent. */
    const open = (id: string) => {
      if (latest.current.chatId === null && location.pathname === '/chats')
        void navigate({ to: '/chats/$chatId', params: { chatId: id }, replace: true })
    }
    const begin = (question: Question, isFork: boolean, before: Unsent | null) => {
      const { choices, target } = latest.current
      const answering = answeringOf(choices, target)
      const place = { userId: user.id, organizationId: org_id, chatId }
      const message = { ...place, key: randomKey(), question, isFork, answering, at: Date.now() }
      const isRepeat = before !== null && isRepeatable(before) && isSameRequest(before, message)
      transmit(isRepeat ? before : message, (id) => {
        if (chatId !== null) return
        choose(org_id, id, choices)
        open(id)
      })
    }
    return {
      mayWrite,
      models,
      agents,
      isReady,
      change(change: Partial<Choices>) {
        const { chat, choices, defaultId } = latest.current
        choose(org_id, chatId, { ...choices, ...change, ...('target' in change && { defaultId }) })
        if (chatId === null || !('temperature' in change || 'maxTokens' in change)) return
        const settings = settingsOf({ ...choices, ...change }, chat)
        changeChat(client, { org_id, chat_id: chatId }, { settings })
        api
          .request('PUT /api/chat', { query: { org_id, chat_id: chatId }, body: { settings } })
          .catch(refused)
      },
      send() {
        const draft = draftOf(draftOfChat(chatId))
        const uploads = draft.attachments.flatMap(({ upload }) => upload ?? [])
        const parentId = latest.current.chat?.active_message_id ?? null
        emptyDraft(draftOfChat(chatId))
        // Send in a later task, so that the browser clears the field first.
        setTimeout(() => begin({ content: draft.text, uploads, parentId }, false, draft.unsent))
      },
      resend(message: Unsent) {
        if (isRepeatable(message)) return transmit(message, (id) => message.chatId === null && open(id))
        forgetUnsent(message.key)
        giveBack(draftOfChat(message.chatId), message, unsentTooLong())
      },
      edit: ({ file_uploads, parent_message_id }: ChatMessage, content: string) =>
        whenFree(() => begin({ content, uploads: file_uploads, parentId: parent_message_id }, true, null)),
      proceed: ({ id }: ChatMessage) =>
        whenFree(() => begin({ content: t('reply.continue'), uploads: [], parentId: id }, true, null)),
      regenerate(message: ChatMessage, other?: string) {
        if (chatId === null) return
        const who = other ?? targetOf(message.model_id, message.agent_id)
        const answering = answeringOf(latest.current.choices, who)
        whenFree(() => {
          // Only the stored reply certainly has the id of the user's message.
          const { queryKey } = readChat({ org_id, chat_id: chatId })
          const stored =
            client.getQueryData(queryKey)?.messages.find(({ id }) => id === message.id) ?? message
          const userMessageId = stored.role === 'user' ? stored.id : stored.parent_message_id
          if (userMessageId !== null)
            regenerate({ organizationId: org_id, chatId, onRefused: refused }, userMessageId, answering)
        })
      },
      goTo({ id }: ChatMessage) {
        const leaf = newestLeafBelow(latest.current.messages ?? [], id)
        if (chatId === null || leaf === null) return
        const place = { org_id, chat_id: chatId }
        whenFree(() => {
          const before = latest.current.chat?.active_message_id ?? null
          changeChat(client, place, { active_message_id: leaf })
          api.request('PUT /api/chat', { query: place, body: { active_message_id: leaf } }).catch((error) => {
            changeChat(client, place, { active_message_id: before })
            refused(error)
          })
        })
      },
      stop() {
        const { live } = latest.current
        if (live?.isUnsent && live.state().isLost) {
          takeBack(live)
          if (live.message) giveBack(draftOfChat(chatId), live.message, null)
          return
        }
        const id = live?.chatId
        if (!id) return
        api.request('POST /api/chat/stop', { query: { org_id, chat_id: id } }).catch((error) => {
          // The reply ended before the request to stop it arrived.
          if (error instanceof ParleyError && error.code === 'chat.not_streaming')
            void outdate(client, 'GET /api/chat')
          else refused(error)
        })
      },
    }
  }, [org_id, user.id, chatId, mayWrite, models, agents, isReady, client, navigate, notify])
  return { actions, state }
}

/** The reason why a message of an earlier visit is back in the composer. */
const unsentTooLong = () => new ParleyError(t('errors.unreachable'), { status: 0, code: 'network' })

function answeringOf(choices: Choices, target: string | null): Answering {
  return {
    ...(target !== null && idsOf(target)),
    instruction_id: choices.instructionId ?? undefined,
    temperature: choices.temperature ?? undefined,
    max_tokens: choices.maxTokens ?? undefined,
    thinking: choices.thinking,
    knowledge_base_ids: choices.knowledgeBaseIds,
  }
}

function settingsOf({ temperature, maxTokens }: Choices, chat: Chat | null): Chat['settings'] {
  const { temperature: _temperature, max_tokens: _max, ...others } = chat?.settings ?? {}
  return {
    ...others,
    ...(temperature !== null && { temperature }),
    ...(maxTokens !== null && { max_tokens: maxTokens }),
  }
}
