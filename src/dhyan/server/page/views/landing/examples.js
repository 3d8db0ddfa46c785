// Sentences that the shipped packs translate well, by the languages of a pack; tests/browser/test_shipped.py holds them
// to it. The first of each is shown at the start with its translation.

export const EXAMPLES = {
  "en-hi": [
    "She has been learning to play the sitar for three years.",
    "Where is the nearest railway station?",
    "I like eating ice cream.",
    "The children are playing in the garden.",
    "Knowledge is the light that removes darkness.",
  ],
  "hi-en": [
    "मेरी दादी हर रात हमें एक कहानी सुनाती हैं।",
    "सबसे नज़दीकी रेलवे स्टेशन कहाँ है?",
    "मुझे आइसक्रीम खाना पसंद है।",
    "बच्चे बगीचे में खेल रहे हैं।",
    "वह तीन साल से सितार बजाना सीख रही है।",
  ],
};
