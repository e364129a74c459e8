import type { Answer } from './model.ts'

/** A sample chat for the screenshots. Listed newest first. */
export interface ShownChat extends Answer {
  title: string
  daysAgo: number
  folder?: string
  pinned?: true
  /** The answer uses the handbook. */
  fromHandbook?: true
}

/** The chat that is shown open: a table, code and citations. */
export const RETURNS: ShownChat = {
  title: 'Return of a signed copy',
  daysAgo: 0,
  pinned: true,
  fromHandbook: true,
  asked: 'A signed copy comes back after five weeks. What may I offer?',
  says: `**A gift card, not the money.** The 30 days for a refund are over [[Returns and refunds]], and what comes back later is paid by gift card, signed copies at 80 % of their price [[Gift cards]]:

| Since the purchase | Ordinary book | Signed copy |
| --- | --- | --- |
| Up to 30 days | Money back | Exchange, if it is damaged |
| 31 to 60 days | Gift card, full price | **Gift card, 80 %** |

Book it at the till with the number of the receipt:

\`\`\`sql
insert into gift_cards (receipt, amount, reason)
select receipt, round(price * 0.8, 2), 'signed copy, after 30 days'
from sales where receipt = 'LB-2042';
\`\`\`

The card is good for three years [[Gift cards]], and the copy goes to the second-hand books [[Second-hand books]].`,
}

export const CHATS: readonly ShownChat[] = [
  RETURNS,
  {
    title: 'Reading in the lantern room',
    daysAgo: 0,
    folder: 'Events',
    asked: 'Draft an invitation to the reading on Friday.',
    says: 'Friday, seven o’clock, 84 steps up: *Letters from a Lighthouse*, read by the one who wrote them. Bring a coat.',
  },
  {
    title: 'Order of the autumn catalogue',
    daysAgo: 1,
    folder: 'Suppliers',
    pinned: true,
    asked: 'Which titles of the autumn catalogue sold out last year?',
    says: 'Four did: *The Salt Path*, *Tide Tables*, *Storm Glass* and *A Field Guide to Gulls*. Order the last one twice.',
  },
  {
    title: 'Window display in November',
    daysAgo: 2,
    asked: 'What goes into the window in November?',
    says: 'Fog. Grey paper, one lamp, and five books about getting lost and coming home.',
  },
  {
    title: 'Late parcel from Harbour Press',
    daysAgo: 3,
    folder: 'Suppliers',
    asked: 'Write to Harbour Press about the parcel that is two weeks late.',
    says: 'Dear Harbour Press, the parcel of 3 November has not reached us yet. Could you look where it is?',
  },
  {
    title: 'Story hour for children',
    daysAgo: 5,
    folder: 'Events',
    asked: 'Three books for a story hour about the sea, for children of five.',
    says: 'A whale, a snail and a light: each has one of them, and all three end before bedtime.',
  },
  {
    title: 'Names for the reading corner',
    daysAgo: 8,
    asked: 'Find a name for the reading corner below the stairs.',
    says: 'The Bilge, The Keel, or Below Deck. I would take the last one.',
  },
  {
    title: 'Second-hand prices',
    daysAgo: 12,
    fromHandbook: true,
    asked: 'What do we pay for second-hand paperbacks?',
    says: 'A quarter of what they will be sold for, in cash, or a third as a gift card [[Second-hand books]].',
  },
]

/** A question to several models. */
export const ASKED_OF_SEVERAL = 'Recommend one book for somebody who has never been at sea. Why that one?'
export const SAID_BY_SEVERAL: readonly Answer[] = [
  {
    asked: ASKED_OF_SEVERAL,
    by: 'lantern-large',
    says: '**The Old Man and the Sea** by Ernest Hemingway.\n\n- It is short enough for one evening.\n- All that one has to know of boats, it tells.\n- The sea is in every sentence, and never in the way.',
  },
  {
    asked: ASKED_OF_SEVERAL,
    by: 'lantern-small',
    says: 'Try **Sailing Alone Around the World** by Joshua Slocum. He is funny, he is by himself, and the reader is on board after two pages.',
  },
  {
    asked: ASKED_OF_SEVERAL,
    by: 'gull-2',
    says: '**Moby-Dick**. Whoever has never been at sea has the time for it.\n\n> “I thought I would sail about a little and see the watery part of the world.”',
  },
]

/** A test message to an agent, which searches for a book and uses the handbook. */
export const TRIED: Answer = {
  asked: 'Is “Tide Tables” there, and can I have it sent home?',
  says: 'TOOL:find_book={"title":"Tide Tables"} THEN say: Yes: **two copies** of *Tide Tables* are on the shelf Sea and sky, at 18.50 each. We send it for 3.90, or for nothing from 40 on [[Delivery and parcels]]; it reaches you after two days.',
}

/** A question from a visitor of the website. */
export const VISITED: Answer = {
  asked: 'When are you open on Sundays?',
  says: 'From eleven to four, and the lantern room closes half an hour earlier [[Opening hours]].',
}

/** A playground message that uses a connection. */
export const PLAYED: Answer = {
  asked: 'Where is the parcel HP-1907?',
  says: 'TOOL:track_parcel={"number":"HP-1907"} THEN say: Parcel **HP-1907** is in the sorting office at Port Ellen since this morning. It is expected **tomorrow before noon**.',
}

/** A question to the handbook alone. */
export const ASKED_OF_HANDBOOK: Answer = {
  asked: 'How long is a gift card good?',
  says: 'A gift card is good for **three years** from the day on which it was sold, and can be used in parts [[Gift cards]]. One that was given for a return is no different [[Returns and refunds]].',
}

/** All answers of the emulated model. */
export const ANSWERS: readonly Answer[] = [
  ...CHATS,
  ...SAID_BY_SEVERAL,
  TRIED,
  VISITED,
  PLAYED,
  ASKED_OF_HANDBOOK,
]
