/** The bookshop's sample handbook. */
export const HANDBOOK: Record<string, string> = {
  'Opening hours': `# Opening hours

The shop is open from Tuesday to Saturday, from ten to six, and on Sundays from eleven to four. On Mondays it is closed, and the light is cleaned.

## The lantern room

The lantern room closes half an hour before the shop. In a storm of force nine or more it stays closed, and so do the stairs.`,
  'Returns and refunds': `# Returns and refunds

Whoever returns a book within 30 days, with its receipt and unread, gets the money back the way it was paid.

After 30 days there is no refund. Until 60 days have gone by, a return is paid by gift card; later nothing is taken back.

## Signed copies

Signed copies are only exchanged, and only where they were damaged when they were sold.`,
  'Gift cards': `# Gift cards

A gift card is good for three years from the day on which it was sold or given for a return, and can be used in parts. It is not paid out.

## For returns

A return after 30 days is paid by a gift card of the full price. Signed copies that come back after 30 days are paid at 80 % of their price, by gift card as well.`,
  'Delivery and parcels': `# Delivery and parcels

Parcels leave the shop at noon and arrive after two days, on the islands after four. Sending a parcel costs 3.90; from 40 on it costs nothing.

A parcel that has not arrived after ten days counts as lost, and is sent again.`,
  'Second-hand books': `# Second-hand books

Second-hand books are sold on the table by the stairs. We pay a quarter of the price that they will be sold for, or a third of it as a gift card.

Ordinary books that come back after 30 days are put there too. No school books, no encyclopaedias.`,
  'Events in the lantern room': `# Events in the lantern room

Readings begin at seven and end before nine, when the lamp is lit. The room takes 40 people, and 84 steps lead up to it.

Authors are paid 150 and the ferry. Tickets are sold at the till and cost 6, with a glass of something warm.`,
}

export const CATALOGUE = `title,author,shelf,copies,price
Tide Tables,Moira Flett,Sea and sky,2,18.50
Storm Glass,Ewan Rae,Sea and sky,0,16.00
A Field Guide to Gulls,Isla Munro,Birds,5,22.00
Letters from a Lighthouse,Agnes Drever,Local,11,14.90
`

/** An evaluation: customers' questions and the documents that answer them. */
export const QUESTIONS: readonly { question: string; document_names: string[] }[] = [
  { question: 'Until when can I give a book back?', document_names: ['Returns and refunds'] },
  { question: 'How long is a gift card good?', document_names: ['Gift cards'] },
  { question: 'What does sending a parcel cost?', document_names: ['Delivery and parcels'] },
  { question: 'Are you open on Sundays?', document_names: ['Opening hours'] },
  { question: 'Do you buy used paperbacks?', document_names: ['Second-hand books'] },
  { question: 'When does a reading begin?', document_names: ['Events in the lantern room'] },
  { question: 'Is there a lift?', document_names: ['Events in the lantern room'] },
  { question: 'My order never came. What now?', document_names: ['Delivery and parcels'] },
]
