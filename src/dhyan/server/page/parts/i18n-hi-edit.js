// Numbers set by hand, in Hindi.

export const EDIT_IN_HINDI = {
  "Set by hand": "हाथ से रखें",
  What: "क्या",
  Value: "मान",
  Set: "रखें",
  Zero: "शून्य",
  "Take back": "वापस लें",
  "this cell": "यह खाना",
  "these cells": "ये खाने",
  "this row": "यह पंक्ति",
  "its row": "इसकी पंक्ति",
  "its column": "इसका स्तंभ",
  "all of it": "पूरा",
  "one number, or as many as there are": "एक संख्या, या जितनी हैं उतनी",
  "A row of weights need not sum to 1: it is taken as it is.":
    "भारों की पंक्ति का जोड़ 1 होना ज़रूरी नहीं: वह जैसी है वैसी ली जाती है।",
  "Copy from another sentence": "दूसरे वाक्य से उतारें",
  "set by hand": "हाथ से रखा गया",
  "worked out from what goes into it, it would be": "जिनसे यह बनता है, उनसे निकालें तो यह होता",
  "Double-click a cell, or type a number on it, to set it by hand.":
    "किसी खाने को हाथ से रखने के लिए उस पर दो बार क्लिक करें या संख्या लिखें।",
  "in a matrix: set the cell by hand, as does a double click": "मैट्रिक्स में: खाने को हाथ से रखना, जैसे दो बार क्लिक",
  "set={value} in this link is not an address and a number such as enc.output[0]=0; it is left out.":
    "इस कड़ी में set={value} ऐसा पता और संख्या नहीं है जैसे enc.output[0]=0; इसे छोड़ दिया गया।",
};
