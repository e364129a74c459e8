/** The contents of the samples that users add on the home page. */
export default {
  agent: {
    name: 'Sample: shop assistant',
    description: 'Answers customers of a bookshop from its handbook.',
    instructions:
      'You are the assistant of the bookshop Lantern Books. Answer customers briefly and kindly, and only from the handbook. If the handbook has no answer, say so and give the phone number 555 0142.',
  },
  knowledge: {
    name: 'Sample: shop handbook',
    description: 'The handbook of a small bookshop, to try search and citations.',
    hours: {
      name: 'Opening hours',
      content:
        '# Opening hours\n\nLantern Books is open from Monday to Friday from 9:00 to 18:30, and on Saturdays from 10:00 to 16:00. The shop is closed on Sundays and public holidays.\n\n## Readings\n\nOn the first Thursday of each month, the shop stays open until 21:00 for a reading. Admission is free. Please reserve a seat by phone at 555 0142.',
    },
    returns: {
      name: 'Returns',
      content:
        '# Returns\n\nCustomers can return unread books within 30 days with their receipt, and get their money back. Signed copies can be exchanged, but not refunded.\n\n## Damaged books\n\nThe shop replaces a damaged book at any time, without a receipt.',
    },
    delivery: {
      name: 'Delivery',
      content:
        '# Delivery\n\nOrders above 40 euros are delivered free of charge. Below that, delivery costs 3.90 euros. A parcel takes two working days within the country, and five abroad.\n\n## Pickup\n\nBooks that are ordered before 17:00 are ready for pickup on the next working day.',
    },
  },
} as const
