// Tags as people type them: words between commas, Western or Chinese.

export const splitTags = (text: string) => text.split(/[,，]/).map((part) => part.trim()).filter(Boolean);
